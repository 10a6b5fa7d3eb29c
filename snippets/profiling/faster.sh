sed 's/"lineinfo": True/"lineinfo": True, "fastmath": True/; s/range(x.size)/range(np.uint64(x.size))/' galaxy32.py > galaxy3.py
grep -nE 'fastmath|uint64' galaxy3.py
