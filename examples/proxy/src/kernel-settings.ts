import { cpus, release } from 'node:os'
import type { CompileResult } from '@kube-rules/compiler'
import { conntrackSysctlsOf, type EffectiveConfiguration } from '@kube-rules/proxy-kit'
import { type Logger, textOf } from './log.js'
import { isAtLeast, type MachineFiles } from './machine.js'
import type { RunTool } from './run-tool.js'

/**
 * Writes the settings of connection tracking that kube-proxy writes at its start, before it has read objects. Counts
 * all processors of the machine, even if this process may use only some of them.
 */
export function applyConntrackSettings(files: MachineFiles, { conntrack }: EffectiveConfiguration, log: Logger): void {
  for (const { path, value, isMinimum } of conntrackSysctlsOf(conntrack, cpus().length)) {
    const current = Number(files.read(path) ?? Number.POSITIVE_INFINITY)
    if (!isMinimum || current < value) writeFile(files, path, value, log)
  }
}

export function applyOomScore(files: MachineFiles, { oomScoreAdj }: EffectiveConfiguration, log: Logger): void {
  writeFile(files, '/proc/self/oom_score_adj', oomScoreAdj, log)
}

/** Writes the settings that the rules of a result require, unless the kernel already has them. Called before the rules are loaded. */
export async function applyRequirements(
  { mode, families }: CompileResult,
  files: MachineFiles,
  run: RunTool,
  log: Logger,
): Promise<void> {
  if (mode === 'iptables') {
    const isNeeded = families.some(({ family, plan }) => family === 'IPv4' && plan.localhostNodePorts)
    if (isNeeded) writeFile(files, sysctlFile('net.ipv4.conf.all.route_localnet'), 1, log)
    for (const { family } of families) {
      const name = `net.bridge.bridge-nf-call-${family === 'IPv4' ? 'ip' : 'ip6'}tables`
      if (files.read(sysctlFile(name))?.trim() === '0')
        log.warning('packets between pods of a bridge pass no rules', { sysctl: name })
    }
  }
  const { kernelModules = [], sysctls = [], timeouts } = families[0]?.hostRequirements ?? {}
  for (const module of kernelModules) {
    await run('modprobe', [module]).catch((error) => log.warning('no modprobe', { module, error: textOf(error) }))
  }
  for (const { name, value, kernels } of sysctls) {
    const isUsed = !kernels || (isAtLeast(release(), kernels.from) && !isAtLeast(release(), kernels.before))
    if (isUsed) writeFile(files, sysctlFile(name), value, log)
  }
  if (timeouts === undefined) return
  const { tcp, tcpFin, udp } = timeouts
  const { status, stderr } = await run('ipvsadm', ['--set', `${tcp}`, `${tcpFin}`, `${udp}`])
  if (status !== 0) log.warning('ipvs timeouts are not set', { error: stderr.trim() })
}

function writeFile(files: MachineFiles, path: string, value: number | string, log: Logger): void {
  const current = files.read(path)?.trim()
  if (current === `${value}`) return
  try {
    files.write(path, `${value}`)
    log.info('a kernel setting is changed', { path, value, before: current })
  } catch (error) {
    log.warning('a kernel setting cannot be changed', { path, value, before: current, error: textOf(error) })
  }
}

function sysctlFile(name: string): string {
  return `/proc/sys/${name.replaceAll('.', '/')}`
}
