#!/bin/busybox sh
# The first process of the virtual machine. It runs what the second serial line says: `ID LENGTH LENGTH` in a line of its
# own, then a script and what the script reads, each of that length; and answers `ID STATUS LENGTH LENGTH` with what the
# script wrote. Nobody asks for two minutes: the machine ends.
/bin/busybox --install -s /bin
rm /bin/ip
export PATH=/usr/sbin:/sbin:/bin HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmpfs /run
mkdir -p /run/netns /run/lock
ip link set lo up

exec 3<>/dev/ttyS1
stty raw -echo <&3
echo ready >&3

receive() {
  if [ "$1" -gt 0 ]; then dd bs="$1" count=1 iflag=fullblock <&3 2>/dev/null; fi
}

while read -r -t 120 id script_length input_length <&3; do
  receive "$script_length" >/tmp/script
  receive "$input_length" >/tmp/input
  sh /tmp/script </tmp/input >/tmp/output 2>/tmp/errors 3>&-
  echo "$id $? $(wc -c </tmp/output) $(wc -c </tmp/errors)" >&3
  cat /tmp/output /tmp/errors >&3
done
# QEMU is told not to start again.
reboot -f
