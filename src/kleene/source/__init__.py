"""Source text to tokens: the preprocessor and the lexical rules of TVP and TVS; knows no grammar and no logic."""
