for file in galaxy galaxy32 galaxy3; do
    echo "$file.py"
    ncu --clock-control none -k regex:pull --metrics gpu__time_duration.sum,smsp__inst_executed.sum \
        python $file.py 131072 1000 | grep -E "duration|inst_executed"
done
