"""What maintainers and teachers run, in the root of the repository: python -m tools.NAME."""
