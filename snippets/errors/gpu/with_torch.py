import runpy

import torch

helpers = runpy.run_path("attempt.py")
attempt, apart = helpers["attempt"], helpers["apart"]
torch.cuda.synchronize()  # a GPU is here
