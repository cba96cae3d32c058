class BestTransformer: pass
