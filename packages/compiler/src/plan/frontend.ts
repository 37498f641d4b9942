import type { Clause, Frontend } from './plan.js'

/** Whether some packet for the frontend reaches an endpoint. */
export function isServed({ route }: Frontend): boolean {
  return route.some(({ then }) => then.to === 'pool')
}

/** The same for anything but a cluster IP: all of these take the one route of the service port. */
export function isServedExternally(frontend: Frontend): boolean {
  return frontend.kind !== 'clusterIP' && isServed(frontend)
}

/** Whether packets that would reach an endpoint are held against source ranges. */
export function isFirewalled(frontend: Frontend): boolean {
  return frontend.allowedSources !== undefined && isServed(frontend)
}

/** What holds for every packet to which no earlier clause applies: the last clause. */
export function clauseForOthers({ route }: Frontend): Clause {
  return route[route.length - 1] as Clause
}

/** How packets to which no earlier clause applies are refused; undefined where they reach an endpoint. */
export function refusalOf(frontend: Frontend): 'reject' | 'drop' | undefined {
  const { to } = clauseForOthers(frontend).then
  return to === 'reject' || to === 'drop' ? to : undefined
}
