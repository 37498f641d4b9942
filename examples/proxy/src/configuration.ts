import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type KubeProxyConfiguration, listModes, type ProxyMode } from '@kube-rules/compiler'
import {
  type ConfigurationFlagKind,
  completeConfiguration,
  configurationFlags,
  parseConfigurationFlag,
  parseConfigurationFlags,
} from '@kube-rules/compiler/proxy'
import { load } from 'js-yaml'
import { textOf } from './log.js'

/** The flags. kube-proxy does not have the last one. */
const FLAGS: Readonly<Record<string, ConfigurationFlagKind>> = {
  ...configurationFlags,
  ...{ config: 'text', 'write-config-to': 'text', master: 'text', 'hostname-override': 'text' },
  ...{ v: 'number', vmodule: 'text', 'logging-format': 'text', 'log-flush-frequency': 'text' },
  ...{ cleanup: 'boolean', 'init-only': 'boolean', 'kubernetes-version': 'text' },
}

/** The flags that this program accepts, but which have no meaning in it. */
const UNUSED = [
  ...['v', 'vmodule', 'logging-format', 'log-flush-frequency', 'profiling', 'show-hidden-metrics-for-version'],
  ...['kube-api-content-type', 'kube-api-qps', 'kube-api-burst'],
]

export interface Settings {
  readonly configuration: KubeProxyConfiguration
  readonly mode: Exclude<ProxyMode, 'userspace'>
  readonly nodeName: string
  readonly kubeconfig: string | undefined
  readonly master: string | undefined
  /** The version of kube-proxy whose rules are programmed. Default: the version of the Node. */
  readonly kubernetesVersion?: string | undefined
  /** The file of `--config`. */
  readonly configFile: string | undefined
  /** The file of `--write-config-to`. */
  readonly writeTo: string | undefined
  readonly action: 'run' | 'initialize' | 'cleanUp'
  /** Flags without effect, because the configuration file has precedence, or because this program does not use them. */
  readonly ignored: readonly string[]
}

/** An error in the flags or the configuration; `message` has one line for each problem. */
export class SettingsError extends Error {}

/** Reads the flags and the configuration file of `--config`. */
export function readSettings(args: readonly string[], hostName: string): Settings {
  try {
    return settingsOf(args, hostName)
  } catch (error) {
    throw new SettingsError((error as Error).message)
  }
}

function settingsOf(args: readonly string[], hostName: string): Settings {
  const option = { type: 'string', multiple: true } as const
  const options = Object.fromEntries(Object.keys(FLAGS).map((name) => [name, option]))
  // As in kube-proxy, `--cleanup` means `--cleanup=true`, and `-v` means `--v`.
  const whole = args.map((word) => (FLAGS[word.slice(2)] === 'boolean' ? `${word}=true` : word))
  const given = whole.map((word) => word.replace(/^-v(?==|$)/, '--v'))
  const values: Record<string, string | undefined> = {}
  for (const [name, all = []] of Object.entries(parseArgs({ args: given, options }).values)) {
    // As in kube-proxy, a repeated flag adds to its list, and otherwise replaces the value.
    values[name] = ['list', 'gates'].includes(`${FLAGS[name]}`) ? all.join(',') : all.at(-1)
  }
  const isSet = (name: string) => parseConfigurationFlag(name, 'boolean', values[name] ?? 'false') === true
  const fromFlags = parseConfigurationFlags(values)
  const fromFile = values.config === undefined ? undefined : readFile(values.config)
  const written = fromFile ?? fromFlags
  const nodeName = (values['hostname-override'] || written.hostnameOverride || hostName).trim().toLowerCase()
  if (nodeName === '') throw new Error('empty hostname-override is invalid')
  const mode = (written.mode || 'iptables') as ProxyMode
  if (!listModes().includes(mode))
    throw new Error(`mode ${mode} is unknown (expected one of ${listModes().join(', ')})`)
  if (mode === 'userspace') throw new Error('userspace mode relays connections itself, which this program does not do')
  const kubernetesVersion = values['kubernetes-version']
  // Rejects what kube-proxy rejects, before anything is changed.
  const { healthzBindAddress, metricsBindAddress } = completeConfiguration(written, { mode, kubernetesVersion })
  // An empty address means the default in a file, and no server in a flag.
  const configuration = fromFile === undefined ? fromFlags : { ...fromFile, healthzBindAddress, metricsBindAddress }
  const isIgnored = (name: string) => UNUSED.includes(name) || (fromFile && name in configurationFlags)
  return {
    ...{ configuration, mode, nodeName, kubernetesVersion },
    kubeconfig: written.clientConnection?.kubeconfig || undefined,
    master: values.master,
    ...{ configFile: values.config, writeTo: values['write-config-to'] },
    action: isSet('cleanup') ? 'cleanUp' : isSet('init-only') ? 'initialize' : 'run',
    ignored: Object.keys(values).flatMap((name) => (isIgnored(name) ? [`--${name}`] : [])),
  }
}

/** Reads a KubeProxyConfiguration, or the ConfigMap of kubeadm that has one under `config.conf`. */
function readFile(path: string): KubeProxyConfiguration {
  try {
    const document = load(readFileSync(path, 'utf8')) as
      | { kind?: string; data?: Readonly<Record<string, string>> }
      | undefined
    const found = document?.kind === 'ConfigMap' ? load(document.data?.['config.conf'] ?? '') : document
    if ((found as { kind?: string } | undefined)?.kind !== 'KubeProxyConfiguration') {
      throw new Error('no KubeProxyConfiguration')
    }
    return found as KubeProxyConfiguration
  } catch (error) {
    throw new Error(`${path}: ${textOf(error)}`)
  }
}
