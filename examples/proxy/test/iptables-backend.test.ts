import { expect, it } from 'vitest'
import { chooseIptablesBackend, withBackend } from '../src/iptables-backend.js'
import type { MachineFiles } from '../src/machine.js'
import type { RunTool } from '../src/run-tool.js'

/** A machine with these programs, whose tools print these texts. */
function machineWith(programs: readonly string[], texts: Readonly<Record<string, string>>) {
  const calls: string[] = []
  const run: RunTool = async (tool, args) => {
    calls.push([tool, ...args].join(' '))
    return { status: 0, stdout: texts[[tool, ...args].join(' ')] ?? '', stderr: '' }
  }
  const files = { findProgram: (name: string) => (programs.includes(name) ? `/usr/sbin/${name}` : undefined) }
  return { run, files: files as unknown as MachineFiles, calls }
}

const BOTH = ['iptables-nft', 'iptables-legacy']
const hint = (chain: string) => `*mangle\n:${chain} - [0:0]\nCOMMIT\n`

it.each([
  ['nft', { 'iptables-nft-save -t mangle': hint('KUBE-IPTABLES-HINT') }],
  ['nft', { 'ip6tables-nft-save -t mangle': hint('KUBE-KUBELET-CANARY') }],
  ['legacy', { 'iptables-legacy-save -t mangle': hint('KUBE-IPTABLES-HINT') }],
  [
    'legacy',
    { 'iptables-legacy-save': '-A INPUT -j ACCEPT\n-A INPUT -j DROP\n', 'iptables-nft-save': '-A INPUT -j DROP\n' },
  ],
  ['nft', { 'iptables-legacy-save': '-A INPUT -j ACCEPT\n', 'iptables-nft-save': '-A INPUT -j DROP\n' }],
  ['nft', {}],
])('chooseIptablesBackend chooses %s for %j', async (expected, texts) => {
  const { run, files } = machineWith(BOTH, texts)
  expect(await chooseIptablesBackend(run, files)).toBe(expected)
})

it('chooseIptablesBackend leaves the choice to a machine with one back end', async () => {
  const { run, files, calls } = machineWith(['iptables-nft'], {})
  expect(await chooseIptablesBackend(run, files)).toBeUndefined()
  expect(calls).toEqual([])
})

it('withBackend runs the iptables tools of the back end, and other tools unchanged', async () => {
  const { run, calls } = machineWith([], {})
  const tools = ['iptables', 'ip6tables-restore', 'iptables-save', 'nft', 'ipset']
  for (const tool of tools) await withBackend(run, 'legacy')(tool, [])
  expect(calls).toEqual(['iptables-legacy', 'ip6tables-legacy-restore', 'iptables-legacy-save', 'nft', 'ipset'])
})
