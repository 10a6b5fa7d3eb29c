ncu --nvtx --nvtx-include "blur/" --clock-control none --metrics gpu__time_duration.sum \
    python ranges.py | grep -E "cupy|duration"
