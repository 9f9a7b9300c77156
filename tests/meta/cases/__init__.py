"""All families of cases; importing one registers its specs."""
from . import copies, creation, elementwise, further, networks, tensors, views  # noqa: F401
