import { run } from '../../../cli/test/support/run.js'
import type { PlaygroundRequest } from '../../src/question/playground-request.js'

/** Runs the command with the options of a request, and returns its output. */
export async function printed(
  command: string,
  question: PlaygroundRequest,
  ...more: readonly string[]
): Promise<string> {
  const { objects, before, host, dump, mode, version, node, family, format, subsystem, namespace } = question
  const option = (name: string, value: string) => (value === '' ? [] : [name, value])
  const args = [
    command,
    ...(command === 'diff' ? ['before.yaml', 'cluster.yaml'] : ['-f', 'cluster.yaml']),
    ...option('--host', host === '' ? '' : 'host.yaml'),
    ...option('--mode', mode),
    ...option('--kubernetes-version', version),
    ...option('--node', node),
    ...option('--namespace', namespace),
    ...(command === 'print'
      ? [
          ...option('--family', FAMILIES[family] ?? ''),
          ...option('--format', format),
          ...option('--subsystem', subsystem),
        ]
      : []),
    ...more,
  ]
  const files = { 'cluster.yaml': objects, 'before.yaml': before, 'host.yaml': host, dump }
  const { stdout, stderr } = await run(args, { files })
  if (stdout === '') throw new Error(`kube-rules ${args.join(' ')} prints nothing: ${stderr}`)
  return stdout
}

const FAMILIES: Readonly<Record<string, string>> = { IPv4: '4', IPv6: '6', both: 'both' }
