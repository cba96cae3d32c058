"""Whole analyses of TVP programs: the composition of front end, domain, engine and report, as library functions."""
