"""All families of cases; importing one registers its specs."""
from . import elementwise, views  # noqa: F401
