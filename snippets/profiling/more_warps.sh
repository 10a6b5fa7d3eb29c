ncu --clock-control none -k regex:energy --section SpeedOfLight --section Occupancy \
    python galaxy.py 1000 67108864 1056 256 | grep -E "Throughput  |Duration|Achieved Occupancy"
