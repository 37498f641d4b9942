import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'
import { load } from 'js-yaml'
import { SettingsError } from './flags.js'
import { textOf } from './log.js'

/** Returns the current connection. It is called for each request, because credentials expire. */
export type Connect = () => KubeConfig

/** Returns the connection to an API server without credentials. */
export function connectTo(server: string): KubeConfig {
  const kubeConfig = new KubeConfig()
  const cluster = { name: 'master', server, skipTLSVerify: server.startsWith('http:') }
  kubeConfig.loadFromClusterAndUser(cluster, { name: 'anonymous' })
  return kubeConfig
}

/** The part of a kubeconfig file that the client of Kubernetes does not read. */
interface TokenFiles {
  readonly users?: readonly { readonly name: string; readonly user?: { readonly tokenFile?: string } }[]
}

/**
 * Reads the connection like kube-proxy: from a kubeconfig file, in which `master` replaces the server; without a file,
 * from `master` alone; without both, from the service account of the pod.
 */
export function readConnection(kubeconfig: string | undefined, master: string | undefined): KubeConfig {
  const kubeConfig = new KubeConfig()
  if (kubeconfig === undefined) {
    if (master) return connectTo(master)
    if (!process.env.KUBERNETES_SERVICE_HOST) throw new SettingsError('neither --kubeconfig nor --master is set')
    kubeConfig.loadFromCluster()
    return kubeConfig
  }
  try {
    kubeConfig.loadFromFile(kubeconfig)
    const { users } = load(readFileSync(kubeconfig, 'utf8')) as TokenFiles
    const files = new Map(users?.map(({ name, user }) => [name, user?.tokenFile]))
    kubeConfig.users = kubeConfig.users.map((user) => {
      const file = files.get(user.name)
      return file ? { ...user, token: readFileSync(resolve(dirname(kubeconfig), file), 'utf8').trim() } : user
    })
  } catch (error) {
    throw new SettingsError(`${kubeconfig}: ${textOf(error)}`)
  }
  kubeConfig.clusters = kubeConfig.clusters.map((cluster) => {
    const server = master || cluster.server
    // The client of Kubernetes accepts HTTP only without a check of certificates.
    return { ...cluster, server, skipTLSVerify: cluster.skipTLSVerify || server.startsWith('http:') }
  })
  return kubeConfig
}
