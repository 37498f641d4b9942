import { describe, expect, it } from 'vitest'
import type { ToolOptions, ToolOutput } from '../../src/cli-context.js'
import { createCollectScript } from '../../src/live/collect-script.js'
import { list, lists, PATHS, proxyPod } from '../support/live-cluster.js'
import { node, service } from '../support/objects.js'
import { type Outcome, run, type Sandbox } from '../support/run.js'

/** A program with its arguments, as one line. */
interface Call {
  readonly line: string
  readonly input: string | undefined
}

interface Cluster {
  readonly calls: Call[]
  /** The Pods of kube-proxy. */
  readonly pods?: readonly object[]
  /** The output of the script by the words after `--`, or of ssh. */
  readonly outputs?: Readonly<Record<string, ToolOutput>>
  /** The output of `kubectl debug`. */
  readonly debug?: ToolOutput
  readonly phase?: string
  /** Objects in place of those of `lists`. */
  readonly replaced?: { readonly [Path in keyof typeof lists]?: object }
}

const succeed = (stdout: string): ToolOutput => ({ exitCode: 0, stdout, stderr: '' })
const fail = (stderr: string, exitCode = 1): ToolOutput => ({ exitCode, stdout: '', stderr })

/** The output of kubectl 1.32. */
const CREATED = succeed('Creating debugging pod node-debugger-node-1-g6dsn with container debugger on node node-1.\n')

/** A fake kubectl and a fake ssh. */
function fakeTools({
  calls,
  pods = [proxyPod],
  outputs = {},
  debug = CREATED,
  phase = 'Running',
  replaced = {},
}: Cluster) {
  return async (tool: string, args: readonly string[], options?: ToolOptions): Promise<ToolOutput> => {
    calls.push({ line: [tool, ...args].join(' '), input: options?.input })
    const end = args.indexOf('--')
    const command = args.slice(end + 1).join(' ')
    if (tool === 'ssh') return outputs.ssh ?? fail('ssh: connect to host node-1 port 22: Connection refused\n', 255)
    if (args.includes('exec')) return outputs[command] ?? fail('exec: "sh": executable file not found in $PATH\n', 126)
    if (args.includes('debug')) return debug
    if (args.includes('delete')) return succeed('')
    if (args.includes('pod')) return succeed(JSON.stringify({ status: { phase } }))
    if (args.includes('pods'))
      return succeed(JSON.stringify(args.includes('k8s-app=kube-proxy') ? list(...pods) : list()))
    const [, path] = PATHS.find(([word]) => args.includes(word)) ?? (['', '/api/v1/nodes'] as const)
    return succeed(JSON.stringify(replaced[path] ?? lists[path]))
  }
}

/** The rules of a node without drift. */
const { stdout: EXPECTED } = await run(['print', '--cluster', '--format', 'save'], {
  runTool: fakeTools({ calls: [] }),
})

/** Lists the commands that are no `get` of objects. */
const changes = (calls: readonly Call[]) => calls.map(({ line }) => line).filter((line) => !line.includes(' get '))

const DEBUG = 'kubectl debug node/node-1 --image=tools --profile=sysadmin -n kube-system -- sleep 600'
const DELETE = 'kubectl delete pod node-debugger-node-1-g6dsn -n kube-system --now --wait=false --ignore-not-found'
const EXEC_PROXY = 'kubectl exec -i kube-proxy-x7k2p -n kube-system -c kube-proxy -- sh'
const EXEC_DEBUG = 'kubectl exec -i node-debugger-node-1-g6dsn -n kube-system -- sh'
const HOST = 'chroot /host /bin/sh -c PATH=$PATH:/usr/sbin:/sbin:/var/lib/rancher/k3s/data/current/bin/aux exec /bin/sh'

const LISTED = '# not read: nft (not installed)\n'
const CONFIGURATION = 'apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: nftables\n'
/** The rules of a node without Services. */
const EMPTIED = EXPECTED.replace(/elements = \{[^}]*\}/g, '')

/** Runs a command for a fake cluster. Returns its outcome, and the commands that are no `get`. */
async function runLive(args: readonly string[], cluster: Omit<Cluster, 'calls'>, sandbox: Sandbox = {}) {
  const calls: Call[] = []
  const outcome = await run(args, { ...sandbox, runTool: fakeTools({ ...cluster, calls }) })
  return { ...outcome, changes: changes(calls), calls }
}

const verify = (...args: readonly string[]) => ['verify', '--live', 'node-1', ...args]
const lastMessage = ({ stderr }: Outcome) => stderr.trim().split('\n').at(-1)

describe('--live', () => {
  it('reads the rules in the Pod of kube-proxy, and implies --cluster and --node', async () => {
    const dump = `${EXPECTED}# net.ipv4.ip_forward = 0\n`
    const result = await runLive(['verify', '--live', 'node-1', '--context', 'test'], {
      outputs: { sh: succeed(dump) },
    })
    expect(result.changes).toEqual([EXEC_PROXY.replace('kubectl', 'kubectl --context test')])
    expect(result.calls.find(({ line }) => line.includes(' exec '))?.input).toBe(createCollectScript())
    expect(result.stderr).toContain('warning: net.ipv4.ip_forward is 0 on the node (expected 1)')
    expect(result).toMatchObject({ exitCode: 0, stdout: 'no drift\n' })
  })

  it('computes the rules of the mode that kube-proxy reports, unless --mode names another', async () => {
    const runTool = fakeTools({ calls: [] })
    const printed = await run(['print', '--cluster', '--mode', 'iptables', '--format', 'save'], { runTool })
    const outputs = { sh: succeed(`${printed.stdout}# kube-proxy mode: iptables\n`) }
    expect(await runLive(verify(), { outputs })).toMatchObject({ exitCode: 0, stdout: 'no drift\n' })
    const doctor = await runLive(['doctor', '--live', '-o', 'json'], { outputs })
    expect(doctor.exitCode).toBe(0)
    const forced = await runLive(verify('--mode', 'nftables'), { outputs })
    expect(forced.exitCode).not.toBe(0)
  })

  it('computes the rules of the configuration that kube-proxy reports, unless --config names another', async () => {
    const runTool = fakeTools({ calls: [] })
    const files = { 'all.yaml': `${CONFIGURATION}nftables: {masqueradeAll: true}\n` }
    const print = ['print', '--cluster', '--config', 'all.yaml', '--format', 'save']
    const printed = await run(print, { runTool, files })
    const reported = '{"kubeproxy.config.k8s.io":{"Mode":"nftables","Linux":{"MasqueradeAll":true}}}\n'
    const outputs = { sh: succeed(`${printed.stdout}# kube-proxy configuration: ${reported}`) }
    const verified = await runLive(verify(), { outputs })
    expect(verified).toMatchObject({ exitCode: 0, stdout: 'no drift\n' })
    expect(verified.stderr).toContain('/configz on node node-1 has precedence over other configurations of kube-proxy')
    expect((await runLive(['doctor', '--live', '-o', 'json'], { outputs })).exitCode).toBe(0)
    const other = { files: { 'none.yaml': CONFIGURATION } }
    expect((await runLive(verify('--config', 'none.yaml'), { outputs }, other)).exitCode).not.toBe(0)
  })

  it('replaces --dump of explain and compare', async () => {
    const outputs = { sh: succeed(EXPECTED) }
    const explained = await runLive(['explain', 'default/web', '--from', 'pod', '--live', 'node-1'], { outputs })
    expect(explained.stdout).toContain('=> 10.1.0.1:8080')
    expect(explained.exitCode).toBe(0)
    const emptied = { sh: succeed(EMPTIED) }
    const compared = await runLive(['compare', '--live', 'node-1'], { outputs: emptied })
    const saved = await runLive(
      ['compare', '--cluster', '--dump', 'node.dump'],
      {},
      { files: { 'node.dump': EMPTIED } },
    )
    expect(compared).toMatchObject({ exitCode: 1, stdout: saved.stdout })
  })

  it('notes what could not be read, and lists the alternatives', async () => {
    const { stderr } = await runLive(verify(), { outputs: { sh: succeed(`${EXPECTED}${LISTED}`) } })
    const ways = '--debug-image IMAGE reads them in a debugging Pod, --ssh HOST with ssh'
    expect(stderr).toContain(`note: Pod kube-proxy-x7k2p: not read: nft (not installed); ${ways}\n`)
  })

  it.each([
    [{ pods: [] }, 'Pod of kube-proxy: not found on this node'],
    [{}, 'Pod kube-proxy-x7k2p: exec: "sh": executable file not found in $PATH (exit code 126)'],
    [
      {
        outputs: { sh: fail('the rules can be read only by root: use sudo sh\ncommand terminated with exit code 1\n') },
      },
      'Pod kube-proxy-x7k2p: the rules can be read only by root: use sudo sh (exit code 1)',
    ],
    [{ outputs: { sh: succeed(LISTED) } }, 'Pod kube-proxy-x7k2p: not read: nft (not installed)'],
  ])('fails if the Pod of kube-proxy cannot be used: %j', async (cluster, problem) => {
    const result = await runLive(verify(), cluster)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toBe(
      `${problem}\nerror: the rules of node node-1 cannot be read; --debug-image IMAGE reads them in a debugging Pod, --ssh HOST with ssh\n`,
    )
  })

  it('rejects options that contradict each other', async () => {
    for (const [args, message] of [
      [verify('--node', 'node-2'), 'options --live and --node name different nodes'],
      [verify('--dump', 'a'), 'options --live and --dump cannot be combined'],
      [verify('--ssh', 'a', '--debug-image', 'b'), 'options --ssh and --debug-image cannot be combined'],
      [verify('-f', 'a'), 'option -f cannot be combined with a live cluster'],
      [['verify', '--cluster', '--ssh', 'a', '--dump', 'b'], 'option --ssh is only for --live'],
      [['verify', '--cluster', '--yes', '--dump', 'b'], 'option --yes is only for --live'],
    ] as const) {
      const result = await runLive(args, { outputs: { sh: succeed(EXPECTED) } })
      expect(result).toMatchObject({ exitCode: 2, stdout: '' })
      expect(result.stderr).toContain(`error: ${message}\n`)
    }
  })

  it('reads the rules with ssh', async () => {
    const result = await runLive(verify('--ssh', 'admin@n1'), { outputs: { ssh: succeed(EXPECTED) } })
    expect(result.changes).toEqual(['ssh -- admin@n1 if [ "$(id -u)" = 0 ]; then exec sh; else exec sudo -n sh; fi'])
    const failed = await runLive(verify('--ssh', 'n1'), {})
    expect(failed.stderr).toBe(
      'ssh n1: ssh: connect to host node-1 port 22: Connection refused (exit code 255)\nerror: the rules of node node-1 cannot be read\n',
    )
  })
})

describe('--debug-image', () => {
  const image = (...args: readonly string[]) => verify('--debug-image', 'tools', ...args)

  it('creates no Pod if the Pod of kube-proxy reads everything', async () => {
    const { changes } = await runLive(image(), { outputs: { sh: succeed(EXPECTED) } })
    expect(changes).toEqual([EXEC_PROXY])
  })

  it('lets the user confirm the creation of a Pod', async () => {
    const questions: string[] = []
    const refused = await runLive(image(), { pods: [] }, { answer: false, questions })
    expect(refused).toMatchObject({ exitCode: 2, stderr: 'error: no debugging Pod was created\n', changes: [] })
    const plan = 'a privileged Pod with image tools on node node-1 (namespace kube-system), and deletes it again'
    expect(questions).toEqual([`This creates ${plan}. Continue?`])
    const unknown = await runLive(image(), { pods: [] })
    expect(unknown).toMatchObject({ exitCode: 2, changes: [] })
    expect(lastMessage(unknown)).toBe(`error: --debug-image creates ${plan}; --yes agrees without a terminal`)
    const agreed = await runLive(image(), { pods: [], outputs: { sh: succeed(EXPECTED) } }, { answer: true })
    expect(agreed.changes).toEqual([DEBUG, EXEC_DEBUG, DELETE])
  })

  it('uses the tools of the node if those of the image do not read everything', async () => {
    const outputs = { sh: succeed(`${EXPECTED}${LISTED}`), [HOST]: succeed(`${EXPECTED}# net.ipv4.ip_forward = 0\n`) }
    const { changes, stderr } = await runLive(image('--yes'), { pods: [], outputs })
    expect(changes).toEqual([DEBUG, EXEC_DEBUG, `${EXEC_DEBUG.slice(0, -2)}${HOST}`, DELETE])
    expect(stderr).toContain('net.ipv4.ip_forward is 0')
    expect(stderr).not.toContain('not read')
  })

  it('deletes the Pod after a failure', async () => {
    const failed = await runLive(image('-y'), { pods: [] })
    expect(failed.changes.at(-1)).toBe(DELETE)
    expect(failed.stderr).toBe(
      [
        'Pod of kube-proxy: not found on this node',
        'image tools: exec: "sh": executable file not found in $PATH (exit code 126)',
        'node node-1: exec: "sh": executable file not found in $PATH (exit code 126)',
        'error: the rules of node node-1 cannot be read\n',
      ].join('\n'),
    )
    const pending = await runLive(image('-y'), { pods: [], phase: 'Pending' })
    expect(pending.changes).toEqual([DEBUG, DELETE])
    expect(lastMessage(pending)).toBe(
      'error: Pod node-debugger-node-1-g6dsn does not run after 60 s: phase Pending; does its image have sh and sleep?',
    )
  })

  it('reports that kubectl debug failed', async () => {
    const debug = { ...CREATED, exitCode: 1, stderr: 'Error from server (Forbidden): pods is forbidden\n' }
    const failed = await runLive(image('-y'), { pods: [], debug })
    expect(lastMessage(failed)).toBe(
      'error: kubectl debug node/node-1: Error from server (Forbidden): pods is forbidden (exit code 1)',
    )
    expect(failed.changes).toEqual([DEBUG, DELETE])
    const silent = await runLive(image('-y'), { pods: [], debug: succeed('') })
    expect(lastMessage(silent)).toBe('error: kubectl debug node/node-1: printed no name of a Pod')
  })
})

describe('--collect-only', () => {
  it('writes one file for -f and --dump', async () => {
    const written: Record<string, string> = {}
    const result = await runLive(
      ['explain', '--live', 'node-1', '--collect-only', 'all.json'],
      { outputs: { sh: succeed(EMPTIED) } },
      { written },
    )
    expect(result).toMatchObject({ exitCode: 0, stdout: '' })
    const file = written['all.json'] ?? ''
    const files = { 'all.json': file }
    const [live, saved] = [
      await runLive(['verify', '--live', 'node-1'], { outputs: { sh: succeed(EMPTIED) } }),
      await run(['verify', '-f', 'all.json', '--dump', 'all.json'], { files }),
    ]
    expect(saved.stdout).toBe(live.stdout)
    expect(saved.exitCode).toBe(1)
    const other = await run(['verify', '-f', 'all.json', '--dump', 'all.json', '--node', 'node-2'], { files })
    expect(lastMessage(other)).toBe('error: all.json: has the rules of node-1; node node-2 is not among them')
  })

  it('writes to standard output, as collect does', async () => {
    const outputs = { sh: succeed(EXPECTED) }
    const only = await runLive(verify('--collect-only', '-'), { outputs })
    const collected = await runLive(['collect', '--live', 'node-1'], { outputs })
    expect(collected.stdout).toBe(only.stdout)
    expect(JSON.parse(collected.stdout).items.at(-1)).toEqual({
      ...{ apiVersion: 'kube-rules/v1', kind: 'NodeDump', metadata: { name: 'node-1' } },
      lines: EXPECTED.split('\n'),
    })
    const objects = await runLive(['collect', '--cluster'], {})
    expect(objects.stdout).not.toContain('NodeDump')
    expect(objects.changes).toEqual([])
    expect(await runLive(['verify', '--collect-only', '-'], {})).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('error: option --live or --cluster is missing\n'),
    })
  })

  it('leaves out annotations and other entries of ConfigMaps', async () => {
    const objects = [
      { ...service('web', ['10.0.0.1']), metadata: { name: 'web', annotations: { token: 'hidden-1' } } },
      { ...node('node-1', ['192.168.0.2']), metadata: { name: 'node-1', annotations: { token: 'hidden-2' } } },
    ]
    const configMap = lists['/api/v1/namespaces/kube-system/configmaps/kube-proxy']
    const replaced = {
      '/api/v1/services': list(...objects.slice(0, 1)),
      '/api/v1/nodes': list(...objects.slice(1)),
      '/api/v1/namespaces/kube-system/configmaps/kube-proxy': {
        ...configMap,
        metadata: { ...configMap.metadata, annotations: { token: 'hidden-3' } },
        data: { ...configMap.data, 'kubeconfig.conf': 'hidden-4' },
      },
    }
    const { stdout } = await runLive(['collect', '--cluster'], { replaced })
    expect(stdout).toContain('KubeProxyConfiguration')
    expect(stdout).not.toContain('hidden')
  })
})
