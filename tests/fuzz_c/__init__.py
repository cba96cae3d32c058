"""Random C programs: what the shape analysis proves must agree with exact exploration and with compiled runs."""
