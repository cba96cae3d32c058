"""Text to tokens: preprocessor and lexical rules of TVP and TVS; knows no grammar and no logic.

In reading order:

- `tokens`: tokens and their places
- `cursor`: a cursor over tokens with error messages
- `macros`: macro definitions and expansion
- `conditions`: expressions of `#if`
- `preprocess`: the preprocessor
"""
