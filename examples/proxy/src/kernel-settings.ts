import { availableParallelism, release } from 'node:os'
import type { CompileResult } from '@kube-rules/compiler'
import { conntrackSettingsOf, type EffectiveConfiguration } from '@kube-rules/compiler/proxy'
import { type Logger, textOf } from './log.js'
import { isAtLeast, type MachineFiles } from './machine.js'
import type { RunTool } from './run-tool.js'

/** Writes the settings of connection tracking that kube-proxy writes at its start, before it has read objects. */
export function applyConntrackSettings(files: MachineFiles, { conntrack }: EffectiveConfiguration, log: Logger): void {
  for (const { path, value, isMinimum } of conntrackSettingsOf(conntrack, availableParallelism())) {
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
    if (isNeeded) setSysctl(files, 'net.ipv4.conf.all.route_localnet', 1, log)
    for (const { family } of families) {
      const name = `net.bridge.bridge-nf-call-${family === 'IPv4' ? 'ip' : 'ip6'}tables`
      if (files.read(sysctlFile(name))?.trim() === '0')
        log.warning('packets between pods of a bridge pass no rules', { sysctl: name })
    }
  }
  for (const { family, hostRequirements } of families.slice(0, 1)) {
    for (const module of hostRequirements?.kernelModules ?? []) {
      await run('modprobe', [module]).catch((error) =>
        log.warning('no modprobe', { family, module, error: textOf(error) }),
      )
    }
    for (const { name, value, kernels } of hostRequirements?.sysctls ?? []) {
      if (kernels !== undefined && !(isAtLeast(release(), kernels.from) && !isAtLeast(release(), kernels.before)))
        continue
      setSysctl(files, name, value, log)
    }
    if (hostRequirements?.timeouts === undefined) continue
    const { tcp, tcpFin, udp } = hostRequirements.timeouts
    const { status, stderr } = await run('ipvsadm', ['--set', `${tcp}`, `${tcpFin}`, `${udp}`])
    if (status !== 0) log.warning('ipvs timeouts are not set', { error: stderr.trim() })
  }
}

function setSysctl(files: MachineFiles, name: string, value: number | string, log: Logger): void {
  writeFile(files, sysctlFile(name), value, log)
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
