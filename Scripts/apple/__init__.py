"""Compiles the package for Apple's systems on a machine that has none of them: see README.md beside this file."""
