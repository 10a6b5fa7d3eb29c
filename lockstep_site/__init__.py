"""This site's own furniture: what it adds to the proving core. Start at ``register.py``."""
