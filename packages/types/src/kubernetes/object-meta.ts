/** A field that Kubernetes clients leave out, set to `undefined`, or deliver as JSON `null`. */
export type Optional<T> = T | null | undefined

/** The parts of `metadata` that are read. Timestamps are left out: clients hold them as text or as `Date`. */
export interface ObjectMeta {
  readonly name?: Optional<string>
  readonly namespace?: Optional<string>
  readonly labels?: Optional<Readonly<Record<string, string>>>
  readonly annotations?: Optional<Readonly<Record<string, string>>>
}

/** `kind` and `apiVersion` are missing on the items of typed lists, so nothing requires them. */
export interface TypeMeta {
  readonly apiVersion?: Optional<string>
  readonly kind?: Optional<string>
}
