import { type KubeProxyConfiguration, listModes, type ProxyMode, versionsOf } from '@kube-rules/compiler'
import {
  type CompleteConfigurationOptions,
  completeConfiguration,
  type EffectiveConfiguration,
  flagsOverFile,
  parseConfigurationFlag,
  parseConfigurationFlags,
} from '@kube-rules/proxy-kit'
import { readConfigurationFile, type WrittenSettings } from './configuration-file.js'
import { type FlagValues, listIgnoredFlags, readFlags, SettingsError } from './flags.js'

export interface Settings extends WrittenSettings {
  readonly configuration: KubeProxyConfiguration
  /** The configuration with its defaults. Without `kubernetesVersion`, the newest version that accepts it is assumed. */
  readonly complete: EffectiveConfiguration
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
  /** The flags with their values. */
  readonly flags: FlagValues
  /** Flags without effect. */
  readonly ignored: readonly string[]
  /** Problems of the configuration file that kube-proxy only logs. */
  readonly warnings: readonly string[]
}

/** Reads the flags and the configuration file of `--config`. */
export function readSettings(args: readonly string[], hostName: string): Settings {
  try {
    return settingsOf(args, hostName)
  } catch (error) {
    throw new SettingsError((error as Error).message)
  }
}

function settingsOf(args: readonly string[], hostName: string): Settings {
  const values = readFlags(args)
  const isSet = (name: string) => parseConfigurationFlag(name, 'boolean', values[name] ?? 'false') === true
  const fromFlags = parseConfigurationFlags(values)
  const file = values.config === undefined ? undefined : readConfigurationFile(values.config)
  const written = file === undefined ? fromFlags : withFlagsOverFile(file.configuration, values)
  const nodeName = (written.hostnameOverride || hostName).trim().toLowerCase()
  if (nodeName === '') throw new Error('empty hostname-override is invalid')
  const mode = readMode(written)
  const kubernetesVersion = values['kubernetes-version']
  // Rejects what every version of kube-proxy rejects, before anything is changed.
  const options = { mode, isFromFlags: file === undefined }
  const complete = completeForAnyVersion(written, options, kubernetesVersion)
  const { healthzBindAddress, metricsBindAddress } = complete
  // An empty address means the default in a file, and no server in a flag.
  const configuration = file === undefined ? fromFlags : { ...written, healthzBindAddress, metricsBindAddress }
  return {
    ...{ configuration, complete, mode, nodeName, kubernetesVersion },
    kubeconfig: written.clientConnection?.kubeconfig || undefined,
    master: values.master,
    ...{ configFile: values.config, writeTo: values['write-config-to'] },
    action: isSet('cleanup') ? 'cleanUp' : isSet('init-only') ? 'initialize' : 'run',
    unused: 'windowsRunAsService' in written ? { windowsRunAsService: written.windowsRunAsService } : {},
    flags: values,
    ignored: listIgnoredFlags(values),
    warnings: file?.warnings ?? [],
  }
}

/** Adds the flags that have precedence over a file. */
function withFlagsOverFile(configuration: KubeProxyConfiguration, values: FlagValues): KubeProxyConfiguration {
  const given = Object.fromEntries(flagsOverFile.map((name) => [name, values[name] || undefined]))
  const { logging, ...others } = parseConfigurationFlags(given)
  return { ...configuration, ...others, ...(logging && { logging: { ...configuration.logging, ...logging } }) }
}

function readMode(written: KubeProxyConfiguration): Settings['mode'] {
  const mode = (written.mode || 'iptables') as ProxyMode
  if (!listModes().includes(mode))
    throw new Error(`mode ${mode} is unknown (expected one of ${listModes().join(', ')})`)
  if (mode === 'userspace') throw new Error('userspace mode relays connections itself, which this program does not do')
  return mode
}

/** Older versions ignore the fields and gates that they do not know, so they would accept errors. */
const OLDEST_ASSUMED = '1.30'

/**
 * Adds the defaults to a configuration. Without a version, uses the newest one that accepts the configuration: the
 * version of the Node is not known yet.
 */
function completeForAnyVersion(
  configuration: KubeProxyConfiguration,
  options: CompleteConfigurationOptions & { readonly mode: ProxyMode },
  kubernetesVersion: string | undefined,
): EffectiveConfiguration {
  if (kubernetesVersion !== undefined) return completeConfiguration(configuration, { ...options, kubernetesVersion })
  const versions = versionsOf(options.mode)
  const recent = versions.slice(versions.indexOf(OLDEST_ASSUMED)).reverse()
  const results = recent.map((version) => {
    try {
      return completeConfiguration(configuration, { ...options, kubernetesVersion: version })
    } catch (error) {
      return error as Error
    }
  })
  const accepted = results.find((result): result is EffectiveConfiguration => !(result instanceof Error))
  if (accepted !== undefined) return accepted
  throw results[0]
}
