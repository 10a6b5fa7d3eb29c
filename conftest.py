"""The pages of this site are tests, too."""

pytest_plugins = ["lockstep.pytest_plugin", "tests.concerns"]
