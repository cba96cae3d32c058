"""Heaps as one points-to graph and one Boolean function (Siegel, Simon. FESA: Fold- and Expand-based Shape Analysis)."""
