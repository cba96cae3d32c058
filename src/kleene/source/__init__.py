"""Text to tokens: preprocessor and lexical rules of TVP and TVS; knows no grammar and no logic."""
