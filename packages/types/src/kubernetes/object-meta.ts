/** A field that Kubernetes clients omit, set to `undefined`, or deliver as JSON `null`. */
export type Optional<T> = T | null | undefined

/** The metadata of an object. Only its name, namespace, labels and annotations affect rules. */
export interface ObjectMeta {
  /** The name. */
  readonly name?: Optional<string>
  /** The namespace. */
  readonly namespace?: Optional<string>
  /** The labels. */
  readonly labels?: Optional<Readonly<Record<string, string>>>
  /** The annotations. */
  readonly annotations?: Optional<Readonly<Record<string, string>>>
  /** The identity of the object in its cluster. */
  readonly uid?: Optional<string>
  /** The beginning of a name that the API server completes. */
  readonly generateName?: Optional<string>
  /** The version of the object in the store of the cluster. */
  readonly resourceVersion?: Optional<string>
  /** The number of changes of the specification. */
  readonly generation?: Optional<number>
  /** The time when the object was created; a `Date` in objects of Kubernetes clients. */
  readonly creationTimestamp?: Optional<string | object>
  /** The time when the object is deleted; a `Date` in objects of Kubernetes clients. */
  readonly deletionTimestamp?: Optional<string | object>
  /** What has to happen before the object is deleted. */
  readonly finalizers?: Optional<readonly string[]>
  /** The objects that this one belongs to. */
  readonly ownerReferences?: Optional<readonly OwnerReference[]>
}

/** An object that a different one belongs to. It does not affect rules. */
export interface OwnerReference {
  /** The API group and version. */
  readonly apiVersion: string
  /** The kind of the object. */
  readonly kind: string
  /** The name. */
  readonly name: string
  /** The identity of the object in its cluster. */
  readonly uid: string
  /** Whether the owner is the controller. */
  readonly controller?: Optional<boolean>
  /** Whether the owner cannot be deleted before this object. */
  readonly blockOwnerDeletion?: Optional<boolean>
}

/** The type of an object. Items of typed lists have no `kind` and `apiVersion`, so both are optional. */
export interface TypeMeta {
  /** The API group and version. */
  readonly apiVersion?: Optional<string>
  /** The kind of the object. */
  readonly kind?: Optional<string>
}
