ncu --import galaxy.ncu-rep -k regex:energy \
    --section SpeedOfLight --section SchedulerStats --section Occupancy | tail -n +4 | sed 's/ *$//'
