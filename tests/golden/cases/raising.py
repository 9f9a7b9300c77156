"""An exception that is caught in the frame and one that leaves it."""


def caught(d):
    try:
        return d["missing"]
    except KeyError:
        return -1


CALLS = [(caught, ({"a": 1},))]
