"""Failure sites: the places at which one test fails, each a finding of its own."""
