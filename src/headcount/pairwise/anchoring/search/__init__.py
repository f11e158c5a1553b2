"""Items placed among rated ones step by step: pairs to ask, then the answers, then on."""
