"""How the GPUs of a machine are linked, asked of NVML and of CUDA.

Source: https://docs.nvidia.com/deploy/nvml-api/group__NvLink.html
"""

# --8<-- [start:links]
import pynvml

pynvml.nvmlInit()
handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
ENDS = {0: "a GPU", 1: "a POWER processor", 2: "an NVSwitch"}


def nvlinks(handle):
    """Return what is at the other end of each active NVLink of a GPU; none: it has no NVLink."""
    count = pynvml.nvmlDeviceGetFieldValues(handle, [pynvml.NVML_FI_DEV_NVLINK_LINK_COUNT])[0]
    links = range(count.value.uiVal if count.nvmlReturn == pynvml.NVML_SUCCESS else 0)
    active = [link for link in links if pynvml.nvmlDeviceGetNvLinkState(handle, link)]
    ends = [pynvml.nvmlDeviceGetNvLinkRemoteDeviceType(handle, link) for link in active]
    return [ENDS.get(end, "something that NVML does not name") for end in ends]


for number, handle in enumerate(handles):
    ends = nvlinks(handle)
    lanes = pynvml.nvmlDeviceGetMaxPcieLinkWidth(handle)
    generation = pynvml.nvmlDeviceGetMaxPcieLinkGeneration(handle)
    where = f"{len(ends)} NVLinks, to {' and '.join(sorted(set(ends))) or 'nothing'}"
    print(f"GPU {number}: {where}; {lanes} lanes of PCIe {generation} to the host")
# --8<-- [end:links]
