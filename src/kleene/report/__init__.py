"""What people see of a result: text, JSON, TVS, SVG and HTML.

It must know nothing of engines, domains, front ends or the command line.
"""
