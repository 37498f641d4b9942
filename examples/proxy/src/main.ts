// Programs a node in the place of kube-proxy:
//
//     node dist/proxy.mjs --config /var/lib/kube-proxy/config.conf --hostname-override node-1
import { hostname } from 'node:os'
import { compile } from '@kube-rules/compiler'
import { completeConfiguration } from '@kube-rules/compiler/proxy'
import { KubeConfig } from '@kubernetes/client-node'
import { connectTo } from './api.js'
import { cleanUpNode } from './clean-up.js'
import { readSettings, type Settings, SettingsError } from './configuration.js'
import { applyConntrackSettings, applyRequirements } from './kernel-settings.js'
import { createLogger, textOf } from './log.js'
import { machineFiles, readMachine } from './machine.js'
import { startProxy } from './proxy.js'
import { createToolRunner, runTool } from './run-tool.js'

const log = createLogger((line) => process.stderr.write(line))

async function main(settings: Settings): Promise<void> {
  const { configuration, mode, nodeName, action, ignored } = settings
  if (ignored.length > 0) log.warning('the configuration file overrides flags', { flags: ignored.join(' ') })
  if (action === 'initialize') {
    applyConntrackSettings(machineFiles, completeConfiguration(configuration, { mode }), log)
    return applyRequirements(compile({ services: [], configuration }, { mode, nodeName }), machineFiles, runTool, log)
  }
  if (action === 'cleanUp') {
    const { families } = await readMachine(runTool, machineFiles, mode)
    process.exitCode = (await cleanUpNode(runTool, machineFiles, families, log)) ? 0 : 1
    return
  }
  loadKubeConfig(settings) // A missing file is an error at the start; later it means that the file is being replaced.
  let isStopping = false
  const stop = async (reason: string, exitCode: number) => {
    if (isStopping) return
    isStopping = true
    log.info('stopping', { reason })
    await proxy.stop()
    process.exit(exitCode)
  }
  const proxy = await startProxy({
    ...settings,
    fail: (reason) => void stop(reason, 1),
    connect: () => loadKubeConfig(settings),
    run: createToolRunner(),
    files: machineFiles,
    log,
  })
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop(signal, 0))
}

function loadKubeConfig({ kubeconfig, master }: Settings): KubeConfig {
  if (kubeconfig === undefined && master !== undefined) return connectTo(master)
  const kubeConfig = new KubeConfig()
  if (kubeconfig === undefined) {
    kubeConfig.loadFromDefault()
    return kubeConfig
  }
  try {
    kubeConfig.loadFromFile(kubeconfig)
  } catch (error) {
    throw new SettingsError(`${kubeconfig}: ${textOf(error)}`)
  }
  return kubeConfig
}

try {
  await main(readSettings(process.argv.slice(2), hostname()))
} catch (error) {
  // An error in the flags needs no stack trace.
  process.stderr.write(
    error instanceof SettingsError ? `${error.message}\n` : `${error instanceof Error ? error.stack : textOf(error)}\n`,
  )
  process.exitCode = 1
}
