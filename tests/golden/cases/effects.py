"""Effects in their order: a list that grows, a dict that gets a key, an attribute that is set."""


class Box:
    pass


def fill(items, names, box):
    items.append(len(items))
    names["last"] = items[-1]
    box.items = items
    return items


CALLS = [(fill, ([1, 2], {}, Box()))]
