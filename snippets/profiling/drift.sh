ncu --import galaxy.ncu-rep -k regex:drift --section SpeedOfLight --section MemoryWorkloadAnalysis |
    tail -n +4 | sed 's/ *$//'  # from the fourth line on: the first three name the process
