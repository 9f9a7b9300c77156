"""A break at a call in an inlined function: one continuation for both frames."""


def inner(values):
    print(end="")
    return values[0] + 1


def outer(values):
    first = values[1] * 2
    return first + inner(values)


CALLS = [(outer, ((3, 5),))]
