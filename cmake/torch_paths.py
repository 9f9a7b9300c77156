"""Print where the installed torch keeps headers and libraries, as JSON for python_extension.cmake.

Not torch.utils.cpp_extension: importing that takes seconds and looks for compilers. The two folders
are where every torch wheel has them.
"""
import json
import os

import torch

root = os.path.dirname(torch.__file__)
include = os.path.join(root, "include")
print(json.dumps({
    "include": ";".join([include, os.path.join(include, "torch", "csrc", "api", "include")]),
    "library": os.path.join(root, "lib"),
    "abi": int(torch._C._GLIBCXX_USE_CXX11_ABI),
}))
