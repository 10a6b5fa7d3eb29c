ncu --import galaxy.ncu-rep -k regex:pull --section SpeedOfLight --section ComputeWorkloadAnalysis |
    tail -n +4 | sed 's/ *$//'
