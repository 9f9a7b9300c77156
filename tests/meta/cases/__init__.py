"""All families of cases; importing one registers its specs."""
from . import elementwise  # noqa: F401
