{{/* The container of one operator. */}}
{{- define "etcd-operator.container" -}}
{{- $values := .root.Values }}
{{- $operator := index $values .key }}
{{- $portName := include "etcd-operator.portName" . }}
- name: {{ $operator.name }}
  image: {{ $operator.image.repository }}:{{ default (printf "v%s" .root.Chart.AppVersion) $operator.image.tag }}
  imagePullPolicy: {{ $operator.image.pullPolicy }}
  command:
  - {{ include "etcd-operator.program" . }}
  - -listen-addr=0.0.0.0:{{ include "etcd-operator.port" . }}
  - -create-crd={{ $values.createCRD }}
  {{- if $values.clusterWide }}
  - -cluster-wide
  {{- end }}
  {{- range $flag, $value := $operator.commandArgs }}
  - {{ printf "-%s=%v" $flag $value | quote }}
  {{- end }}
  env:
  - name: MY_POD_NAMESPACE
    valueFrom:
      fieldRef:
        fieldPath: metadata.namespace
  - name: MY_POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
  ports:
  - name: {{ $portName }}
    containerPort: {{ include "etcd-operator.port" . }}
  {{- range $kind, $path := dict "livenessProbe" "/healthz" "readinessProbe" "/readyz" }}
  {{- with index $operator $kind }}
  {{- if .enabled }}
  {{ $kind }}:
    httpGet:
      path: {{ $path }}
      port: {{ $portName }}
    initialDelaySeconds: {{ .initialDelaySeconds }}
    periodSeconds: {{ .periodSeconds }}
    failureThreshold: {{ .failureThreshold }}
  {{- end }}
  {{- end }}
  {{- end }}
  resources:
    requests:
      cpu: {{ $operator.resources.cpu }}
      memory: {{ $operator.resources.memory }}
  securityContext:
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    capabilities:
      drop: [ALL]
{{- end }}
