"""Lockstep in a site that MkDocs builds."""
