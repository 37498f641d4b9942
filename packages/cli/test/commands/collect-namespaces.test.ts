import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'
import { createCollectScript } from '../../src/live/collect-script.js'
import { clusterJson, configuration, service, slice } from '../support/objects.js'
import { run } from '../support/run.js'
import { findProgram, SHELLS } from '../support/shells.js'

const PATH = `${process.env.PATH}:/usr/sbin:/sbin`

/** Runs a shell script in a new network namespace, as root of the namespace. */
function inNamespace(script: string, args: readonly string[], input = '') {
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const command = [...asRoot, '--net', 'sh', '-ec', script, 'sh', ...args]
  return spawnSync('unshare', command, { input, encoding: 'utf8', env: { PATH } })
}

const canLoad = (...tools: readonly string[]) =>
  tools.every((tool) => findProgram(tool) !== undefined) &&
  inNamespace('iptables-nft-save && nft list tables', []).status === 0

const objectsOf = (mode: string) =>
  clusterJson(
    service('web', ['10.0.0.1']),
    slice('web', '10.1.0.1'),
    configuration({ clusterCIDR: '10.1.0.0/16', mode }),
  )

/** The commands that load the rules of a mode from the variable RULES, and that run the shell of the arguments. */
const LOADERS = [
  ['iptables', 'iptables-nft', 'printf %s "$1" | iptables-nft-restore'],
  ['iptables', 'iptables-legacy', 'printf %s "$1" | iptables-legacy-restore'],
  ['nftables', 'nft', 'printf %s "$1" | nft -f -'],
] as const

/** Loads rules in a namespace, and runs the script there in a shell. */
function collectAfter(load: string, rules: string, shell: readonly string[]) {
  return inNamespace(`${load}; shift; exec "$@"`, [rules, ...shell], createCollectScript())
}

const reason = 'skipped if rules cannot be loaded on this machine'

describe.skipIf(!canLoad('iptables-nft-save', 'iptables-legacy-save', 'nft'))(
  `the script of collect (${reason})`,
  () => {
    let isLegacyUsable = false
    beforeAll(() => {
      isLegacyUsable = inNamespace('iptables-legacy -t nat -N X', []).status === 0
    })

    it.each(LOADERS)('reads the rules of mode %s in %s with every shell', async (mode, tool, load) => {
      if (tool === 'iptables-legacy' && !isLegacyUsable) return expect(isLegacyUsable).toBe(false)
      const files = { 'objects.json': objectsOf(mode) }
      const format = mode === 'iptables' ? ['--format', 'save'] : []
      const { stdout: rules } = await run(['print', '-f', 'objects.json', '--family', '4', ...format], { files })
      for (const shell of SHELLS) {
        const { status, stdout, stderr } = collectAfter(load, rules, shell)
        expect({ status, stderr }, shell.join(' ')).toMatchObject({ status: 0 })
        expect(stdout).toContain('\n# net.ipv4.ip_forward = ')
        const verified = await run(['verify', '-f', 'objects.json', '--dump', 'dump', '--family', '4'], {
          files: { ...files, dump: stdout },
        })
        expect(verified.stdout, shell.join(' ')).toBe('no drift\n')
      }
    })

    it.each(SHELLS.map((shell) => shell.join(' ')))('reads a node without rules with %s', (shell) => {
      const { status, stdout } = inNamespace('exec "$@"', shell.split(' '), createCollectScript())
      expect(status).toBe(0)
      expect(stdout.split('\n').filter((line) => /^[*:-]|^table|^create|^add/.test(line))).toEqual([])
    })
  },
)
