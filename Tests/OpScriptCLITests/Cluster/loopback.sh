#!/usr/bin/env bash
# A Slurm of its own on the loopback, for tests: one controller and three nodes, of four cores each, without root, munge,
# cgroups or a database. Only this machine can reach it.
#
#   loopback.sh start FOLDER PORT        makes and starts it; the ports are PORT to PORT + 4
#   loopback.sh controller FOLDER        starts the controller again, with its saved state
#   loopback.sh node FOLDER NAME         starts a node again
#   loopback.sh stop FOLDER              ends everything of it, by the process numbers in FOLDER/run
#
# Needs slurmctld, slurmd and slurm-client. In FOLDER are slurm.conf, for SLURM_CONF, and log/.
set -euo pipefail
command=$1 folder=$2
nodes=3 cores=4
export SLURM_CONF=$folder/slurm.conf PATH=$PATH:/usr/sbin:/usr/bin

configure() {  # the first port
    local port=$1 user number
    user=$(id -un)
    mkdir -p "$folder"/{state,log,run}
    for number in $(seq "$nodes"); do mkdir -p "$folder/spool/n$number"; done
    cat > "$SLURM_CONF" <<END
ClusterName=opscript
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
PriorityType=priority/basic
Licenses=db:1
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
JobRequeue=1
KillWait=2
MinJobAge=3600
SlurmdTimeout=3
MessageTimeout=2
TCPTimeout=2
InactiveLimit=0
DebugFlags=NO_CONF_HASH
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd.%n.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd.%n.log
END
    for number in $(seq "$nodes"); do
        echo "NodeName=n$number NodeHostName=n$number NodeAddr=127.0.0.1 Port=$((port + 1 + number)) CPUs=$cores" \
            "RealMemory=1000 State=UNKNOWN"
    done >> "$SLURM_CONF"
    echo "PartitionName=main Nodes=n[1-$nodes] Default=YES MaxTime=INFINITE State=UP" >> "$SLURM_CONF"
}

await_nodes() {
    for _ in $(seq 300); do
        [ "$(sinfo -h -N -o %T 2>/dev/null | grep -cE '^(idle|mixed|allocated|completing)$')" = "$nodes" ] && return 0
        sleep 0.1
    done
    echo "the cluster did not come up; see $folder/log" >&2
    return 1
}

case $command in
    start)
        configure "$3"
        slurmctld
        for number in $(seq "$nodes"); do slurmd -N "n$number"; done
        await_nodes
        ;;
    controller) slurmctld && await_nodes ;;
    node) slurmd -N "$3" ;;
    stop)
        scancel --quiet --user="$(id -un)" 2>/dev/null || true
        for file in "$folder"/run/*.pid; do
            [ -s "$file" ] && kill "$(cat "$file")" 2>/dev/null || true
        done
        ;;
    *)
        echo "loopback.sh: no command '$command'" >&2
        exit 2
        ;;
esac
