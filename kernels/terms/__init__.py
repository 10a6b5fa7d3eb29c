"""Code of the glossary: one small idea a file."""
