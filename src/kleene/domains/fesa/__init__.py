"""Heaps as one graph and one Boolean function (Siegel, Simon. FESA: Fold- and Expand-based Shape Analysis)."""
