"""What a call that nobody looks into raises passes handlers of several frames, each of which its traceback shows."""
LOG = []
TABLE = {}


class Manager:
    def __enter__(self):
        LOG.append("in")

    def __exit__(self, *what):
        LOG.append(what[0])


def fail(value):
    raise LookupError(value)


def by_finally(value):
    try:
        fail(value)
    finally:
        LOG.append("inner")


def by_manager(value):
    with Manager():
        fail(value)


def outer_finally(value):
    try:
        by_finally(value)
    finally:
        LOG.append("outer")


def outer_manager(value):
    with Manager():
        by_manager(value)
        LOG.append("never")


def wrong_handler(value):
    try:
        by_finally(value)
    except ZeroDivisionError:
        LOG.append("never")


def replaced(value):
    try:
        by_manager(value)
    except LookupError:
        return TABLE[value]


def three_deep(value):
    with Manager():
        try:
            outer_manager(value)
        finally:
            outer_finally(value)


CALLS = [('outer_finally', ('1',)), ('outer_manager', ('1',)), ('wrong_handler', ('2',)), ('replaced', ('2',)), ('three_deep', ('3',)), ('three_deep', ('4',))]
