sed 's/sx = sy = sz = 0.0/sx = sy = sz = np.float32(0)/; s/+ 0.01  #/+ np.float32(0.01)  #/' galaxy.py > galaxy32.py
grep -n 'np.float32(0.*)' galaxy32.py | head -n 2
