{{/* Before and after a step to another minor version the operator reads on 2381 how many snapshots a member has taken; a stopped member
that is started for a safety snapshot listens on 2389; a restore brings its data on 19999. */}}
{{- define "etcd-operator.portsOfMembers" -}}
- port: 2379
- port: 2381
- port: 2389
- port: 19999
{{- end }}
