for kernel in drift energy pull; do
    echo "$kernel, cycles of a warp between two instructions:"
    ncu --import galaxy.ncu-rep -k regex:$kernel --section WarpStateStats --print-details all |
        awk '/^ +Stall/ {cycles = $NF; gsub(/^ +Stall| +inst.*/, ""); print cycles, $0}' |
        sort -rn | head -n 4
done
