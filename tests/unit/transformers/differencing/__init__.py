"""Tests of finite differencing against an evaluator of their own."""
