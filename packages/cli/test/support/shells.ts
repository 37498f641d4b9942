import { spawnSync } from 'node:child_process'

const ALL = ['dash', 'bash', 'busybox sh'] as const

/** The path of a program of this machine, undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  const { stdout } = spawnSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
  return stdout.trim() || undefined
}

/** The command lines of `sh` and of the shells that are installed on this machine. */
export const SHELLS: readonly (readonly [string, ...string[]])[] = [
  ['/bin/sh'],
  ...ALL.flatMap((shell) => {
    const [name = '', ...args] = shell.split(' ')
    const path = findProgram(name)
    return path === undefined ? [] : [[path, ...args] as const]
  }),
]
