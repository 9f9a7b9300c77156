// The main of _framegate_torch_test: an interpreter that sees the packages of the environment this tree is built for, with torch imported.
#include <Python.h>

#include <cstdio>

#include "gtest/gtest.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  PyConfig_SetBytesString(&config, &config.program_name, FRAMEGATE_PYTHON);
  PyStatus status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status))
    Py_ExitStatusException(status);
  if (PyRun_SimpleString("import torch, torch.autograd.forward_ad, torch.utils._device, torch.utils._python_dispatch") != 0)
    return 1;
  return RUN_ALL_TESTS();  // without Py_Finalize: torch does not like it
}
